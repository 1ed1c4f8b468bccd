/** The reference server as a target of recorded requests. */
import { readFileSync } from 'node:fs';
import { ConnectionError } from '../../../shared/client/transport/transport';
import { systemClock } from '../../../shared/runtime/clock';
import { isBody, membersOf, type Body, type Json } from '../json-response';
import type { AuditedTarget, RequestTarget } from '../requests/request-target';
import type { ReferenceServer } from './reference-server';

/** The server writes its audit log after the response: the log is read until it has the event, for up to 200 ms. */
const LOG_POLL_MS = 5;
const MAX_LOG_POLLS = 40;
/** Annotations that are not about admission. */
const OTHER_ANNOTATIONS = /^(?:authorization|apiserver|authentication|pod-security)\./;

/** The code is 0 when the server closes the connection before it has responded. */
export function requestTarget(server: ReferenceServer): RequestTarget {
  return {
    async send(method, path, headers, body, onResponse) {
      try {
        const { code, bytes, warnings } = await server.send({ method, path, headers, body: Buffer.from(body) }, onResponse);
        return { code, text: bytes.toString(), warnings };
      } catch (error) {
        if (error instanceof ConnectionError && error.wasSent) return { code: 0, text: '', warnings: [] };
        throw error;
      }
    },
  };
}

/**
 * Reads audit events from the file `AUDIT_LOG` in the environment (`audit.log`), which the server's flag
 * `--audit-log-path` names. A request without an event in time has no annotations.
 */
export function auditedTarget(server: ReferenceServer): AuditedTarget {
  const log = process.env['AUDIT_LOG'] ?? 'audit.log';
  return {
    ...requestTarget(server),
    async annotations(auditId) {
      for (let poll = 0; poll < MAX_LOG_POLLS; poll += 1) {
        const line = readFileSync(log, 'utf8')
          .split('\n')
          .reverse()
          .find((text) => text.includes(`"${auditId}"`) && text.includes('ResponseComplete'));
        const event: Json = line === undefined ? null : JSON.parse(line);
        if (isBody(event)) return admissionAnnotations(event['annotations'] ?? {});
        await systemClock.sleep(LOG_POLL_MS);
      }
      // Requests that the audit policy omits have no event.
      return {};
    },
  };
}

const admissionAnnotations = (annotations: Json): Body =>
  Object.fromEntries(Object.entries(membersOf(annotations)).filter(([name]) => !OTHER_ANNOTATIONS.test(name)));
