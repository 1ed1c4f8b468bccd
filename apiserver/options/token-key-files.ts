/** The keys of service account tokens, in their files. */
import { readFileSync } from 'node:fs';
import { readPrivateKey, readPublicKeys, type TokenKeys } from '../../shared/api/identity/token-keys';
import { FileBackedValue } from '../../shared/runtime/files/file-backed-value';

export interface TokenKeyPaths {
  readonly checking: readonly string[];
  readonly signing: string;
}

export type TokenKeyFiles = FileBackedValue<TokenKeys>;

/** Throws KeyFileError and what the file system says. */
export function followTokenKeys(paths: TokenKeyPaths): TokenKeyFiles {
  const files = [...paths.checking, paths.signing];
  return new FileBackedValue('keys of service account tokens', () => ({ value: read(paths), files }));
}

function read({ checking, signing }: TokenKeyPaths): TokenKeys {
  const text = (file: string): string => readFileSync(file, 'utf8');
  return { verifying: checking.flatMap((file) => readPublicKeys(file, text(file))), signing: readPrivateKey(signing, text(signing)) };
}
