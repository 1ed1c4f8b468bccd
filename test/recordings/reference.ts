/**
 * How the makers of recordings ask the reference server. It stands at https://127.0.0.1:16443 (token admintoken, override with REFERENCE_URL and
 * REFERENCE_TOKEN) and speaks upstream names.
 */
import { Agent, request } from 'node:https';

export type Json = null | boolean | number | string | Json[] | { [member: string]: Json };
export type Body = { [member: string]: Json };

export interface Reply {
  readonly code: number;
  readonly body: Body;
  /** Texts of the Warning headers. */
  readonly warnings: readonly string[];
}

const agent = new Agent({ keepAlive: true, maxSockets: 8 });

export function call(method: string, path: string, type: string, body?: Json): Promise<Reply> {
  const text = body === undefined ? '' : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const sent = request(
      new URL(path, process.env['REFERENCE_URL'] ?? 'https://127.0.0.1:16443'),
      {
        method,
        agent,
        rejectUnauthorized: false,
        headers: {
          authorization: `Bearer ${process.env['REFERENCE_TOKEN'] ?? 'admintoken'}`,
          'content-type': type,
          'content-length': Buffer.byteLength(text),
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const parsed: Body = JSON.parse(Buffer.concat(chunks).toString());
          const header = response.headers['warning'] ?? '';
          const warnings = [...header.matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)].map(([, quoted = '']) => quoted.replace(/\\(.)/g, '$1'));
          resolve({ code: response.statusCode ?? 0, body: parsed, warnings });
        });
      },
    );
    sent.on('error', reject);
    sent.end(text);
  });
}

/** Lets the program end. */
export const hangUp = (): void => agent.destroy();

export function isBody(value: Json | undefined): value is Body {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What is wrong with the object of a refused request: field, reason and message of each cause. */
export function causesOf(reply: Reply): readonly (readonly [field: string, reason: string, message: string])[] {
  const details = reply.body['details'];
  const causes = isBody(details) ? details['causes'] : undefined;
  const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
  return (Array.isArray(causes) ? causes : [])
    .filter(isBody)
    .map((cause) => [text(cause['field']), text(cause['reason']), text(cause['message'])] as const);
}
