/** What is wrong with a configuration file, and the error that says so. */

export interface Fault {
  /** `jwt[0].issuer.url`; '' = the whole file. */
  readonly path: string;
  readonly reason: string;
}

/** Names the file, and of each fault the path and the reason. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';

  constructor(
    readonly file: string,
    readonly faults: readonly Fault[],
  ) {
    super(`${file}: ${faults.map(({ path, reason }) => (path === '' ? reason : `${path}: ${reason}`)).join('; ')}`);
  }
}

const INDEX = /^\d+$/;
const PLAIN = /^[A-Za-z_][\w-]*$/;

/** The path of a member or, by its number, of an item. */
export function memberPath(path: string, member: string): string {
  if (INDEX.test(member)) return `${path}[${member}]`;
  if (!PLAIN.test(member)) return `${path}[${JSON.stringify(member)}]`;
  return path === '' ? member : `${path}.${member}`;
}
