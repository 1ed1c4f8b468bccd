/**
 * Requests to the reference server, for programs that record its answers. It stands at https://127.0.0.1:16443 (token admintoken; override with
 * REFERENCE_URL and REFERENCE_TOKEN) and its certificate is nobody's.
 */
import { request } from 'node:https';

export interface ReferenceAnswer {
  readonly code: number;
  readonly body: string;
  readonly bytes: Buffer;
  /** The texts of the Warning headers. */
  readonly warnings: readonly string[];
}

const BASE = process.env.REFERENCE_URL ?? 'https://127.0.0.1:16443';
const TOKEN = process.env.REFERENCE_TOKEN ?? 'admintoken';

export function askReference(
  method: string,
  path: string,
  body?: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
): Promise<ReferenceAnswer> {
  return new Promise((resolve, reject) => {
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const sent = request(
      new URL(path, BASE),
      { method, rejectUnauthorized: false, headers: { authorization: `Bearer ${TOKEN}`, accept: 'application/json', ...type, ...headers } },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () => {
          const bytes = Buffer.concat(chunks);
          const warnings = [answer.headers['warning'] ?? []].flat().flatMap((line) => line.split(/, (?=299 )/));
          resolve({ code: answer.statusCode ?? 0, body: bytes.toString(), bytes, warnings });
        });
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}
