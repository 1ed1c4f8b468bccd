/** Faults of configuration files, and the error that reports them. */

export interface ConfigurationFault {
  /** `jwt[0].issuer.url`; `''` for a fault of the whole file. */
  readonly path: string;
  readonly reason: string;
}

/** Its message contains the file, and the path and reason of each fault. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';

  constructor(
    readonly file: string,
    readonly faults: readonly ConfigurationFault[],
  ) {
    super(`${file}: ${faults.map(({ path, reason }) => (path === '' ? reason : `${path}: ${reason}`)).join('; ')}`);
  }
}

const INDEX = /^\d+$/;
const PLAIN = /^[A-Za-z_][\w-]*$/;

/** Appends a member, or an index in decimal digits, to a path. */
export function appendFieldPath(path: string, member: string): string {
  if (INDEX.test(member)) return `${path}[${member}]`;
  if (!PLAIN.test(member)) return `${path}[${JSON.stringify(member)}]`;
  return path === '' ? member : `${path}.${member}`;
}
