/**
 * The keys of service account tokens, read again when their files change. While changed files are unusable, the
 * previous keys stay in use.
 */
import { readFileSync } from 'node:fs';
import { readPrivateKey, readPublicKeys, type TokenKeys } from '../../../shared/api/identity/token-keys';
import { FileBackedValue } from '../../../shared/runtime/files/file-backed-value';

/** PEM files with the keys of service account tokens. */
export interface TokenKeyPaths {
  readonly verificationKeys: readonly string[];
  readonly signingKey: string;
}

/** The keys of the files, read again when one of these changes. */
export type TokenKeyFiles = FileBackedValue<TokenKeys>;

/** Throws KeyFileError and file system errors. */
export function fileBackedTokenKeys(paths: TokenKeyPaths): TokenKeyFiles {
  const files = [...paths.verificationKeys, paths.signingKey];
  return new FileBackedValue('keys of service account tokens', () => ({ value: readKeys(paths), files }));
}

function readKeys({ verificationKeys, signingKey }: TokenKeyPaths): TokenKeys {
  const readText = (file: string): string => readFileSync(file, 'utf8');
  return {
    verifying: verificationKeys.flatMap((file) => readPublicKeys(file, readText(file))),
    signing: readPrivateKey(signingKey, readText(signingKey)),
  };
}
