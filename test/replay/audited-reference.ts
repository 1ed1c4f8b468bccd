/** The reference server with its audit log: what it answers, and what it has noted of a request. */
import { readFileSync } from 'node:fs';
import { systemClock } from '../../shared/runtime/clock';
import { ask, isBody, type Body, type Json } from './reference';
import type { Asked } from './webhooks/run';

const LOGGED_MS = 5;
const ROUNDS = 40;

/** `log` = the file that it writes. */
export function auditedReference(log: string): Asked {
  return {
    async send(method, path, headers, body) {
      const { code, bytes, warnings } = await ask(method, path, headers, Buffer.from(body));
      return { code, text: bytes.toString(), warnings };
    },
    async annotations(auditId) {
      for (let round = 0; round < ROUNDS; round += 1) {
        const line = readFileSync(log, 'utf8')
          .split('\n')
          .reverse()
          .find((text) => text.includes(`"${auditId}"`) && text.includes('ResponseComplete'));
        const event: Json = line === undefined ? null : JSON.parse(line);
        if (isBody(event)) return ofAdmission(event['annotations'] ?? {});
        await systemClock.sleep(LOGGED_MS);
      }
      return {};
    },
  };
}

const ofAdmission = (annotations: Json): Body =>
  isBody(annotations)
    ? Object.fromEntries(
        Object.entries(annotations).filter(([name]) => !/^(?:authorization|apiserver|authentication|pod-security)\./.test(name)),
      )
    : {};
