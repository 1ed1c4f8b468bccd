/**
 * The flag `--authorization-mode`: the authorizers in the order in which they decide. Unknown and repeated modes are
 * rejected by name, with upstream's messages. Creating the authorizers is left to authorizer-links.ts.
 */
import { FlagError, listFlag, type Flag } from '../../../shared/cli/flags';
import { AUTHORIZATION_MODES, type AuthorizationMode } from '../../server/access/authorizers';

/** `section` is the heading in the help text under which the flag is listed. */
export function authorizationModesFlag(section: string): Flag<readonly AuthorizationMode[]> {
  const modeList = listFlag({
    section,
    help: `Authorizers, in order: ${AUTHORIZATION_MODES.join(', ')}.`,
    default: ['Node', 'RBAC'],
  });
  return {
    ...modeList,
    default: ['Node', 'RBAC'],
    bareValue: undefined,
    parse(text, previous) {
      const modes = modeList.parse(text, previous).map((word) => {
        const mode = AUTHORIZATION_MODES.find((known) => known === word);
        if (mode === undefined) {
          throw new FlagError(`${JSON.stringify(word)} is not a valid mode; valid are ${AUTHORIZATION_MODES.join(', ')}`);
        }
        return mode;
      });
      if (new Set(modes).size < modes.length) {
        throw new FlagError(`[${modes.map((mode) => JSON.stringify(mode)).join(' ')}] has mode specified more than once`);
      }
      return modes;
    },
    formatDefault: (modes) => `[${modes.join(',')}]`,
  };
}
