/** Requests that recorders send to the reference server one after the other, and tests to ours. Names are upstream's. */
import { ask, type Headers } from './reference';

export interface RequestStep {
  readonly name: string;
  /** `bad` = a token that nobody knows; `nobody` = without one. */
  readonly as: 'admin' | 'alice' | 'bad' | 'nobody';
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  /** Of the body; JSON when absent. */
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

type Rest = Partial<Omit<RequestStep, 'name' | 'method' | 'path'>>;

export const step = (name: string, method: string, path: string, rest: Rest = {}): RequestStep => ({
  as: 'admin',
  ...rest,
  name,
  method,
  path,
});

const TOKENS = { admin: 'Bearer admintoken', alice: 'Bearer plaintoken', bad: 'Bearer unknown', nobody: '' };

/** To the reference server, with the code of its answer; the headers of the step come before `more`. */
export async function sendStep(
  { as, method, path, body = '', type = 'application/json', headers = {} }: RequestStep,
  more: Headers,
): Promise<number> {
  const all = { authorization: TOKENS[as], ...more, ...headers };
  return (await ask(method, path, body === '' ? all : { 'content-type': type, ...all }, Buffer.from(body))).code;
}
