//! `pliant view`: a session behind a socket, and the page that shows it.
//!
//! The server trusts nobody. It listens on 127.0.0.1 alone and answers only requests that name it as their host, so that a
//! page from elsewhere cannot reach it under another name. Files come from a list in the binary; no path of a request ever
//! meets the file system. The socket takes one client at a time, from the server's own origin, with a token that serves
//! once: the first stands in the address that the browser is opened with, each next one goes to the page itself. A session
//! works only when asked, and answers before it reads on, so a client that floods waits, and one that stalls costs nothing.

use crate::run::{self, Changes};
use crate::{Common, Failure};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pliant_io::recording::Recording;
use pliant_io::scene_file;
use pliant_view::{Command, Session, Settings};
use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tungstenite::handshake::derive_accept_key;
use tungstenite::protocol::{Role, WebSocketConfig};
use tungstenite::{Message, WebSocket};

/// Arguments of `pliant view`.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// A scene or a recording; by default the page begins with one of its own
    pub file: Option<PathBuf>,
    /// Print the address only
    #[arg(long)]
    pub no_browser: bool,
}

/// Files of the page by their paths, `/index.html` among them.
pub type Page = &'static [(&'static str, &'static [u8])];

/// The page, if it had been made when this binary was built.
const PAGE: Page = include!(concat!(env!("OUT_DIR"), "/page.rs"));

/// Bytes of frames that are kept for the timeline.
const HISTORY: usize = 512 << 20;
/// Largest head of a request, and largest message of a client: a recording in base64.
const MOST_HEAD: usize = 8 << 10;
const MOST_MESSAGE: usize = 64 << 20;
/// Connections at a time.
const MOST_CONNECTIONS: usize = 32;
/// A request must be there, and an answer taken, within this time.
const PATIENCE: Duration = Duration::from_secs(10);

/// Runs the command.
pub fn execute(args: &Args, common: &Common) -> Result<(), Failure> {
    if PAGE.is_empty() {
        let message = "this binary was built without the page: run `cargo xtask web`, then build it again";
        return Err(Failure::input_message(message));
    }
    let mut session = new_session();
    if let Some(file) = &args.file {
        show(&mut session, file, common)?;
    }
    let server = Server::bind(PAGE, session, args.file.is_some()).map_err(Failure::run)?;
    let address = server.address();
    crate::common::print(&address)?;
    if !args.no_browser && !open_browser(&address) {
        common.note("no browser could be started; open the address above");
    }
    server.serve();
    Ok(())
}

/// A session with this machine's clock.
pub fn new_session() -> Session {
    let began = Instant::now();
    Session::new(Settings { clock: Box::new(move || began.elapsed().as_secs_f64()), history: HISTORY })
}

/// Puts a scene or a recording into a session; errors are those of `pliant run`.
fn show(session: &mut Session, path: &Path, common: &Common) -> Result<(), Failure> {
    if path.extension().is_some_and(|e| e == crate::outputs::RECORDING) {
        let recording = Recording::open(path).map_err(Failure::input)?;
        return session.open_recording(recording).map(|_| ()).map_err(Failure::input_message);
    }
    let (scene, _) = run::build(path, &Changes::default(), common)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut files = BTreeMap::new();
    for name in scene_file::mesh_names(&scene.spec) {
        let bytes = std::fs::read(folder.join(&name)).map_err(Failure::input)?;
        files.insert(name, STANDARD.encode(bytes));
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    session.handle(Command::Load { name, text: scene.text, files });
    Ok(())
}

fn open_browser(address: &str) -> bool {
    let (program, before): (&str, &[&str]) = match std::env::consts::OS {
        "macos" => ("open", &[]),
        "windows" => ("cmd", &["/c", "start", ""]),
        _ => ("xdg-open", &[]),
    };
    let mut command = std::process::Command::new(program);
    let quiet = std::process::Stdio::null;
    command.args(before).arg(address).stdin(quiet()).stdout(quiet()).stderr(quiet()).spawn().is_ok()
}

/// The server of one session.
pub struct Server {
    listener: TcpListener,
    shared: Arc<Shared>,
}

struct Shared {
    port: u16,
    page: Page,
    session: Mutex<Session>,
    /// Whether the session shows something that the page should not replace.
    shown: Mutex<bool>,
    token: Mutex<String>,
    /// The one client; another with the right token takes its place.
    client: Mutex<Option<TcpStream>>,
    connections: AtomicUsize,
}

impl Server {
    /// Takes a free port of this machine. `shown` says that the session has a scene already.
    pub fn bind(page: Page, session: Session, shown: bool) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let shared = Shared {
            port: listener.local_addr()?.port(),
            page,
            session: Mutex::new(session),
            shown: Mutex::new(shown),
            token: Mutex::new(new_token()?),
            client: Mutex::new(None),
            connections: AtomicUsize::new(0),
        };
        Ok(Self { listener, shared: Arc::new(shared) })
    }

    /// What the browser is opened with. The token stands behind `#`, which browsers keep to themselves.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}/#token={}", self.shared.port, lock(&self.shared.token))
    }

    /// Serves until the process ends.
    pub fn serve(&self) {
        for stream in self.listener.incoming().flatten() {
            let shared = self.shared.clone();
            if shared.connections.fetch_add(1, Ordering::AcqRel) >= MOST_CONNECTIONS {
                shared.connections.fetch_sub(1, Ordering::AcqRel);
                continue;
            }
            std::thread::spawn(move || {
                let _leave = Leave(&shared.connections);
                // What goes wrong with one client is that client's alone.
                let _ = shared.answer(stream);
            });
        }
    }
}

/// Counts a connection off, even after a panic.
struct Leave<'a>(&'a AtomicUsize);

impl Drop for Leave<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

/// What a client asks for.
struct Request {
    path: String,
    query: String,
    headers: Vec<(String, String)>,
}

impl Request {
    /// The value of a header that is given exactly once.
    fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.iter().filter(|(n, _)| n == name).map(|(_, v)| v.as_str());
        values.next().filter(|_| values.next().is_none())
    }
}

impl Shared {
    fn answer(&self, mut stream: TcpStream) -> io::Result<()> {
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        stream.set_nodelay(true)?;
        let request = match read_request(&mut stream)? {
            Ok(request) => request,
            Err(status) => return self.refuse(&mut stream, status),
        };
        let hosts = [format!("127.0.0.1:{}", self.port), format!("localhost:{}", self.port)];
        let Some(host) = request.header("host").filter(|h| hosts.iter().any(|own| own == h)) else {
            return self.refuse(&mut stream, "421 Misdirected Request");
        };
        let own_origin = format!("http://{host}");
        let origins = request.headers.iter().filter(|(n, _)| n == "origin");
        if origins.into_iter().any(|(_, origin)| *origin != own_origin) {
            return self.refuse(&mut stream, "403 Forbidden");
        }
        if request.path == "/socket" {
            return match self.accepts(&request) {
                Ok(key) => self.talk(stream, &key),
                Err(status) => self.refuse(&mut stream, status),
            };
        }
        let path = if request.path == "/" { "/index.html" } else { &request.path };
        match self.page.iter().find(|(name, _)| *name == path) {
            Some((name, bytes)) => self.reply(&mut stream, "200 OK", content_type(name), bytes),
            None => self.refuse(&mut stream, "404 Not Found"),
        }
    }

    /// The answer to the key of a client that may have the socket.
    fn accepts(&self, request: &Request) -> Result<String, &'static str> {
        let is =
            |name: &str, value: &str| request.header(name).is_some_and(|v| v.eq_ignore_ascii_case(value));
        if !is("upgrade", "websocket") || !is("sec-websocket-version", "13") {
            return Err("400 Bad Request");
        }
        request.header("origin").ok_or("403 Forbidden")?;
        let key = request.header("sec-websocket-key").ok_or("400 Bad Request")?;
        let given = request.query.strip_prefix("token=").unwrap_or_default();
        let mut token = lock(&self.token);
        if !same(given, &token) {
            return Err("401 Unauthorized");
        }
        // It has served.
        *token = new_token().map_err(|_| "500 Internal Server Error")?;
        Ok(derive_accept_key(key.as_bytes()))
    }

    fn talk(&self, mut stream: TcpStream, key: &str) -> io::Result<()> {
        write!(
            stream,
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {key}\r\n\r\n"
        )?;
        // An idle client may be silent for as long as it likes.
        stream.set_read_timeout(None)?;
        if let Some(other) = lock(&self.client).replace(stream.try_clone()?) {
            let _ = other.shutdown(Shutdown::Both);
        }
        let limits = WebSocketConfig::default()
            .max_message_size(Some(MOST_MESSAGE))
            .max_frame_size(Some(MOST_MESSAGE));
        let mut socket = WebSocket::from_raw_socket(stream, Role::Server, Some(limits));
        let ended = self.converse(&mut socket);
        let mut session = lock(&self.session);
        session.handle(Command::Release);
        session.handle(Command::Pause);
        ended.map_err(io::Error::other)
    }

    fn converse(&self, socket: &mut WebSocket<TcpStream>) -> Result<(), Box<tungstenite::Error>> {
        let shown = *lock(&self.shown);
        let welcome = serde_json::json!({ "type": "welcome", "token": *lock(&self.token), "shown": shown });
        let mut greeting = vec![0; 4];
        greeting.extend(welcome.to_string().into_bytes());
        socket.send(Message::binary(greeting))?;
        if shown {
            let answers = lock(&self.session).introduce_again();
            answers.into_iter().try_for_each(|a| socket.send(Message::binary(a)))?;
        }
        loop {
            match socket.read()? {
                Message::Text(text) => {
                    let answers = self.handle(&text);
                    answers.into_iter().try_for_each(|a| socket.write(Message::binary(a)))?;
                    socket.flush()?;
                }
                Message::Ping(_) | Message::Pong(_) => {}
                _ => return Ok(()),
            }
        }
    }

    fn handle(&self, text: &str) -> Vec<Vec<u8>> {
        let mut locked = lock(&self.session);
        let session: &mut Session = &mut locked;
        // From inside the pool, so that a step does not change threads for every little loop.
        let answers = rayon::scope(|_| session.handle_text(text));
        *lock(&self.shown) |= session.has_scene();
        answers
    }

    fn refuse(&self, stream: &mut TcpStream, status: &str) -> io::Result<()> {
        self.reply(stream, status, "text/plain; charset=utf-8", format!("{status}\n").as_bytes())
    }

    fn reply(&self, stream: &mut TcpStream, status: &str, kind: &str, body: &[u8]) -> io::Result<()> {
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close\r\nCache-Control: no-store\r\n\
             X-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\nReferrer-Policy: no-referrer\r\n\
             Content-Security-Policy: default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; \
             img-src 'self' data: blob:; connect-src 'self' ws://127.0.0.1:{port} ws://localhost:{port}\r\n\r\n",
            length = body.len(),
            port = self.port,
        );
        stream.write_all(head.as_bytes())?;
        stream.write_all(body)?;
        stream.shutdown(Shutdown::Write)?;
        // What the client still has to say is taken, or it might not see the answer; but not for long.
        stream.set_read_timeout(Some(Duration::from_millis(200)))?;
        let _ = io::copy(&mut stream.take(MOST_HEAD as u64), &mut io::sink());
        Ok(())
    }
}

/// Reads a request's head; the inner error is the status that refuses it.
fn read_request(stream: &mut TcpStream) -> io::Result<Result<Request, &'static str>> {
    let (mut head, began) = (Vec::new(), Instant::now());
    while !head.ends_with(b"\r\n\r\n") {
        // Byte by byte, so that nothing behind the head is taken; heads are short.
        let mut byte = [0];
        stream.read_exact(&mut byte)?;
        head.push(byte[0]);
        if head.len() > MOST_HEAD {
            return Ok(Err("431 Request Header Fields Too Large"));
        }
        if began.elapsed() > PATIENCE {
            return Ok(Err("408 Request Timeout"));
        }
    }
    Ok(parse_request(&head))
}

fn parse_request(head: &[u8]) -> Result<Request, &'static str> {
    let wrong = "400 Bad Request";
    let text = std::str::from_utf8(head).map_err(|_| wrong)?;
    let mut lines = text.split("\r\n");
    let first: Vec<&str> = lines.next().unwrap_or_default().split(' ').collect();
    let ["GET", target, "HTTP/1.1"] = first.as_slice() else {
        return Err(if first.len() == 3 && first[0] != "GET" { "405 Method Not Allowed" } else { wrong });
    };
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let mut headers = vec![];
    for line in lines.filter(|l| !l.is_empty()) {
        let (name, value) = line.split_once(':').ok_or(wrong)?;
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    Ok(Request { path: path.into(), query: query.into(), headers })
}

fn content_type(name: &str) -> &'static str {
    match name.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript",
        "css" => "text/css",
        "json" => "application/json",
        "wasm" => "application/wasm",
        "svg" => "image/svg+xml",
        _ => "application/octet-stream",
    }
}

fn new_token() -> io::Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|e| io::Error::other(e.to_string()))?;
    Ok(bytes.iter().map(|b| format!("{b:02x}")).collect())
}

/// Whether two texts are the same, in a time that does not tell how far they agree.
fn same(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.bytes().zip(b.bytes()).fold(0, |all, (x, y)| all | (x ^ y)) == 0
}

/// A panic of another thread is no reason to stop serving.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
