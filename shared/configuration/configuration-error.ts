/** Invalid fields of configuration files, their paths, and the error that lists all invalid fields of a file. */

/** One invalid field of a file. */
export interface InvalidField {
  /** `jwt[0].issuer.url`; `''` for an error of the whole file. */
  readonly path: string;
  readonly reason: string;
}

/** A configuration file is invalid. The message has the path of the file, and the path and reason of each error. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';

  constructor(
    readonly file: string,
    readonly errors: readonly InvalidField[],
  ) {
    super(`${file}: ${errors.map(({ path, reason }) => (path === '' ? reason : `${path}: ${reason}`)).join('; ')}`);
  }
}

const INDEX = /^\d+$/;
/** A member that is written after a dot; other ones are quoted in brackets. */
const PLAIN = /^[A-Za-z_][\w-]*$/;

/** Appends a member, or an index in decimal digits, to a path: `a.b`, `a[0]` or `a["b/c"]`. */
export function appendFieldPath(path: string, member: string): string {
  if (INDEX.test(member)) return `${path}[${member}]`;
  if (!PLAIN.test(member)) return `${path}[${JSON.stringify(member)}]`;
  return path === '' ? member : `${path}.${member}`;
}
