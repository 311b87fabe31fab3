//! The server of `pliant view` against clients that mean no good.

use pliant_cli::view::{Page, Server, new_session};
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;
use tungstenite::client::IntoClientRequest;
use tungstenite::{Message, WebSocket, client};

const PAGE: Page = &[("/index.html", b"<title>page</title>"), ("/a.js", b"1")];
const SCENE: &str = "[[body]]\nname = \"ball\"\nkind = \"rigid\"\nshape = { sphere = 0.1 }\n";

struct Host {
    port: u16,
    token: String,
}

fn host() -> Host {
    let server = Server::bind(PAGE, new_session(), false).unwrap();
    let address = server.address();
    let (origin, token) = address.split_once("/#token=").unwrap();
    let host = Host { port: origin.rsplit(':').next().unwrap().parse().unwrap(), token: token.into() };
    std::thread::spawn(move || server.serve());
    host
}

impl Host {
    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        stream
    }

    /// The whole answer to a request as it stands.
    fn ask(&self, request: &str) -> String {
        let mut stream = self.connect();
        // A server that refuses may close before it has read all.
        let _ = stream.write_all(request.as_bytes());
        let mut answer = vec![];
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    fn get(&self, path: &str, more: &str) -> String {
        self.ask(&format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n{more}\r\n", self.port))
    }

    fn upgrade(&self, token: &str, origin: &str) -> String {
        let more = format!(
            "{origin}Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        );
        self.get(&format!("/socket?token={token}"), &more)
    }

    fn origin(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    fn socket(&self, token: &str) -> Result<Client, String> {
        let mut request =
            format!("ws://127.0.0.1:{}/socket?token={token}", self.port).into_client_request().unwrap();
        request.headers_mut().insert("origin", self.origin().parse().unwrap());
        let (mut socket, _) = client(request, self.connect()).map_err(|e| e.to_string())?;
        let welcome = socket.read().unwrap().into_data();
        let welcome: serde_json::Value = serde_json::from_slice(&welcome[4..]).unwrap();
        Ok(Client { socket, next: welcome["token"].as_str().unwrap().into() })
    }
}

struct Client {
    socket: WebSocket<TcpStream>,
    /// The token for the next connection.
    next: String,
}

impl Client {
    fn send(&mut self, command: &str) {
        self.socket.send(Message::text(command)).unwrap();
    }
    fn load(&mut self) {
        self.send(&serde_json::json!({ "do": "load", "name": "a.toml", "text": SCENE }).to_string());
        // Scene, topology and frame.
        (0..3).for_each(|_| drop(self.socket.read().unwrap()));
    }
    fn tick(&mut self) -> u32 {
        self.send("{\"do\":\"step\"}");
        let frame = self.socket.read().unwrap().into_data();
        u32::from_le_bytes(frame[4..8].try_into().unwrap())
    }
}

#[test]
fn the_page_is_served_to_its_own_host_only() {
    let host = host();
    assert!(host.get("/", "").ends_with("<title>page</title>"));
    assert!(host.get("/a.js", "").starts_with("HTTP/1.1 200"));
    for name in ["example.com", "127.0.0.1", "127.0.0.1:1", "evil.127.0.0.1"] {
        let answer = host.ask(&format!("GET / HTTP/1.1\r\nHost: {name}\r\n\r\n"));
        assert!(answer.starts_with("HTTP/1.1 421"), "{name}: {answer}");
    }
    let twice = format!("Host: 127.0.0.1:{}\r\n", host.port);
    assert!(host.get("/", &twice).starts_with("HTTP/1.1 421"));
    assert!(host.ask("GET / HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 421"));
    assert!(host.get("/", "Origin: http://example.com\r\n").starts_with("HTTP/1.1 403"));
}

#[test]
fn paths_lead_nowhere_but_to_the_page() {
    let host = host();
    for path in [
        "/../Cargo.toml",
        "/%2e%2e/Cargo.toml",
        "//etc/passwd",
        "/etc/passwd",
        "/a.js/",
        "/a.js%00",
        "\\a.js",
        "*",
    ] {
        assert!(host.get(path, "").starts_with("HTTP/1.1 404"), "{path}");
    }
    assert!(host.ask("POST / HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 405"));
    assert!(host.ask("nonsense\r\n\r\n").starts_with("HTTP/1.1 400"));
    assert!(host.get("/", &format!("X: {}\r\n", "x".repeat(20_000))).starts_with("HTTP/1.1 431"));
}

#[test]
fn the_socket_needs_a_token_that_serves_once() {
    let host = host();
    let own = format!("Origin: {}\r\n", host.origin());
    assert!(host.upgrade("", &own).starts_with("HTTP/1.1 401"));
    assert!(host.upgrade(&"0".repeat(32), &own).starts_with("HTTP/1.1 401"));
    assert!(host.upgrade(&host.token, "").starts_with("HTTP/1.1 403"));
    assert!(host.upgrade(&host.token, "Origin: http://example.com\r\n").starts_with("HTTP/1.1 403"));
    let mut first = host.socket(&host.token).unwrap();
    first.load();
    assert!(host.socket(&host.token).is_err(), "the token has served");
    // The page itself may come back, and takes its own place.
    let next = first.next.clone();
    let mut second = host.socket(&next).unwrap();
    assert!(first.socket.read().is_err());
    // What was shown is shown again.
    (0..3).for_each(|_| drop(second.socket.read().unwrap()));
    assert_eq!(second.tick(), 1);
}

#[test]
fn oversized_messages_end_the_connection_and_nothing_else() {
    let host = host();
    let mut client = host.socket(&host.token).unwrap();
    let next = client.next.clone();
    // A frame that claims a terabyte.
    let stream = client.socket.get_mut();
    stream.write_all(&[0x81, 0xff, 0, 0, 1, 0, 0, 0, 0, 0, 1, 2, 3, 4]).unwrap();
    assert!(client.socket.read().is_err() || client.socket.read().is_err());
    let mut again = host.socket(&next).unwrap();
    again.load();
    assert_eq!(again.tick(), 1);
}

#[test]
fn clients_that_flood_stall_or_leave_do_not_stop_the_server() {
    let host = host();
    let mut client = host.socket(&host.token).unwrap();
    client.load();
    // A flood of commands, answered one after the other.
    for _ in 0..2000 {
        client.send("{\"do\":\"tick\"}");
    }
    (0..2000).for_each(|_| drop(client.socket.read().unwrap()));
    assert_eq!(client.tick(), 1);
    // Rubbish.
    client.send("{{{{");
    client.socket.read().unwrap();
    let next = client.next.clone();
    // Gone in the middle of a frame, with answers on the way.
    (0..50).for_each(|_| client.send("{\"do\":\"step\"}"));
    client.socket.get_mut().write_all(&[0x81, 0x85, 1, 2]).unwrap();
    client.socket.get_mut().shutdown(Shutdown::Both).unwrap();
    drop(client);
    // Connections that never say anything do not use up the server.
    let silent: Vec<TcpStream> = (0..20).map(|_| host.connect()).collect();
    let mut again = host.socket(&next).unwrap();
    (0..3).for_each(|_| drop(again.socket.read().unwrap()));
    let index = again.tick();
    assert_eq!(again.tick(), index + 1);
    drop(silent);
}
