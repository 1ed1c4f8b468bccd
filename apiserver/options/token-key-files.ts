/** The keys of service account tokens in their files: read at the start, and again when they change. Keys that cannot be used leave the old ones in use. */
import { readFileSync } from 'node:fs';
import { readPrivateKey, readPublicKeys, type TokenKeys } from '../../shared/api/identity/token-keys';
import type { Clock } from '../../shared/runtime/clock';
import { watchFiles } from '../../shared/runtime/file-watch';
import type { Logger } from '../../shared/runtime/logger';

export interface TokenKeyPaths {
  readonly checking: readonly string[];
  readonly signing: string;
}

export class TokenKeyFiles {
  private keys: TokenKeys;

  /** Throws KeyFileError and what the file system says. */
  constructor(private readonly paths: TokenKeyPaths) {
    this.keys = read(paths);
  }

  get current(): TokenKeys {
    return this.keys;
  }

  /** Returns what ends the watch. */
  watch(clock: Clock, logger: Logger): () => void {
    const paths = [...this.paths.checking, this.paths.signing];
    return watchFiles({
      paths,
      clock,
      changed: () => {
        try {
          this.keys = read(this.paths);
          logger.info('keys of service account tokens renewed', { files: paths });
        } catch (error) {
          logger.error('the changed keys of service account tokens cannot be used', { files: paths, error });
        }
        return Promise.resolve();
      },
    });
  }
}

function read({ checking, signing }: TokenKeyPaths): TokenKeys {
  const text = (file: string): string => readFileSync(file, 'utf8');
  return { checking: checking.flatMap((file) => readPublicKeys(file, text(file))), signing: readPrivateKey(signing, text(signing)) };
}
