// Asks the Khronos glTF validator whether a .glb is sound.
// usage: node gltf_judge.mjs FILE.glb     prints one line of JSON; exit code 1 if there is an error
import fs from "node:fs";
import path from "node:path";
import validator from "gltf-validator";

const file = process.argv[2];
const result = await validator.validateBytes(new Uint8Array(fs.readFileSync(file)), { maxIssues: 100 });
const { numErrors, numWarnings, numInfos, numHints, messages } = result.issues;
const verdict = {
  ok: numErrors === 0,
  file: path.basename(file),
  validator: validator.version(),
  errors: numErrors,
  warnings: numWarnings,
  infos: numInfos,
  hints: numHints,
  faults: messages.filter((m) => m.severity === 0).map((m) => `${m.code} ${m.pointer}`).slice(0, 20),
  // Not errors, but worth a look.
  remarks: [...new Set(messages.filter((m) => m.severity > 0).map((m) => m.code))],
};
console.log(JSON.stringify(verdict));
process.exit(verdict.ok ? 0 : 1);
