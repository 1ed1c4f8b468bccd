/** The flag `--data-dir`, which every command of a control plane on one machine has. */
import { stringFlag, type Flag } from '../../shared/cli/flags';

/** Relative to the working directory. */
export const DEFAULT_DATA_DIR = '.platform';

/** A variable of the environment sets it too, so that all commands in a container use the same folder. */
export const dataDirFlag = (section: string, help: string): Flag<string> =>
  stringFlag({ section, help, default: DEFAULT_DATA_DIR, completes: 'folders', variable: 'PLATFORM_DATA_DIR' });
