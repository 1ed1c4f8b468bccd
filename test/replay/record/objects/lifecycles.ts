/**
 * Records the responses to the requests of objects' lifecycles (format `lifecycles`). The server runs without
 * controllers.
 */
import { lifecycles, runLifecycle, type LifecycleSend } from '../../formats/lifecycle';
import { CreatedObjects } from './created-objects';
import type { ReferenceServer } from '../reference-server';

export async function recordLifecycles(recording: string, server: ReferenceServer): Promise<readonly unknown[]> {
  const { head, cases } = lifecycles(recording);
  const created = new CreatedObjects();
  const send: LifecycleSend = async (method, path, headers, body) => {
    const { code, bytes, warnings } = await server.send({ method, path, headers, body: Buffer.from(body) });
    created.add({ method, path }, code, bytes.toString());
    return { code, text: bytes.toString(), warnings };
  };
  const lines: unknown[] = [head];
  try {
    for (const { kind } of cases) lines.push(await runLifecycle(send, kind, `life-${process.pid}-${kind.name}`));
  } finally {
    await created.remove(server);
  }
  return lines;
}
