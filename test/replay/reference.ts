/**
 * How the makers of recordings ask the reference server. It stands at https://127.0.0.1:16443 (token admintoken, override with REFERENCE_URL and
 * REFERENCE_TOKEN) and speaks upstream names.
 */
import { Agent, request } from 'node:https';
import { stringifyJson } from '../../shared/values/json';

/** Integers that no number holds are `bigint`, in what is sent. */
export type Json = null | boolean | number | bigint | string | Json[] | { [member: string]: Json };
export type Body = { [member: string]: Json };

export interface Reply {
  readonly code: number;
  readonly body: Body;
  /** Texts of the Warning headers. */
  readonly warnings: readonly string[];
}

const agent = new Agent({ keepAlive: true, maxSockets: 8 });

export interface Answer {
  readonly code: number;
  readonly bytes: Buffer;
  /** Texts of the Warning headers. */
  readonly warnings: readonly string[];
}

export type Headers = Readonly<Record<string, string | string[]>>;

/** A request with bytes, for bodies and answers that are not JSON. `opened` = its answer begins. */
export function ask(method: string, path: string, headers: Headers = {}, body = Buffer.alloc(0), opened?: () => void): Promise<Answer> {
  const authorization = `Bearer ${process.env['REFERENCE_TOKEN'] ?? 'admintoken'}`;
  return new Promise((resolve, reject) => {
    const sent = request(
      new URL(path, process.env['REFERENCE_URL'] ?? 'https://127.0.0.1:16443'),
      { method, agent, rejectUnauthorized: false, headers: { authorization, 'content-length': body.length, ...headers } },
      (response) => {
        opened?.();
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const header = response.headers['warning'] ?? '';
          const warnings = [...header.matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)].map(([, quoted = '']) => quoted.replace(/\\(.)/g, '$1'));
          resolve({ code: response.statusCode ?? 0, bytes: Buffer.concat(chunks), warnings });
        });
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

export async function call(method: string, path: string, type: string | Headers, body?: Json): Promise<Reply> {
  const headers = typeof type === 'string' ? { 'content-type': type } : type;
  const { code, bytes, warnings } = await ask(method, path, headers, Buffer.from(body === undefined ? '' : stringifyJson(body)));
  // A path that nobody serves is refused in plain text.
  const parsed: Body = code === 404 && bytes[0] !== 0x7b ? {} : JSON.parse(bytes.toString());
  return { code, body: parsed, warnings };
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
