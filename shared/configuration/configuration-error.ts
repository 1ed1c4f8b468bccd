/** Invalid fields of configuration files, their paths, and the error that reports all of them at once. */

/** One invalid field of a file. */
export interface InvalidField {
  /** `jwt[0].issuer.url`; `''` for an error of the whole file. */
  readonly path: string;
  readonly reason: string;
}

/** Its message contains the file, and the path and reason of each error. */
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
const PLAIN = /^[A-Za-z_][\w-]*$/;

/** Appends a member, or an index in decimal digits, to a path. */
export function appendFieldPath(path: string, member: string): string {
  if (INDEX.test(member)) return `${path}[${member}]`;
  if (!PLAIN.test(member)) return `${path}[${JSON.stringify(member)}]`;
  return path === '' ? member : `${path}.${member}`;
}
