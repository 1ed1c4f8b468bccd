/**
 * Records the lives of objects by kind, as the reference server answers without controllers (reference.ts):
 *   node deploy/scripts/run.mjs test/replay/lifecycles.js
 * test/integration/http/lifecycles.test.ts replays the recording.
 */
import { LIVING_KINDS } from './lifecycles/kinds';
import { runLifecycle, type LifecycleSend } from './lifecycles/run';
import { writeRecording } from './recording';
import { ask, hangUp, type Body } from './reference';

const send: LifecycleSend = async (method, path, headers, body) => {
  const { code, bytes, warnings } = await ask(method, path, headers, Buffer.from(body));
  return { code, text: bytes.toString(), warnings };
};

async function main(): Promise<void> {
  const lines: Body[] = [];
  for (const kind of LIVING_KINDS) lines.push(await runLifecycle(send, kind, `life-${process.pid}-${lines.length}-${kind.name}`));
  writeRecording('writes/lifecycles', lines);
}

void main().finally(hangUp);
