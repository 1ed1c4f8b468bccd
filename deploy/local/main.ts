/** `npm start`: in one file where the build has made one (shared/runtime/process/program-bundle.ts), else as modules. */
import { runBundle } from '../../shared/runtime/process/program-bundle';

if (!runBundle(__filename)) void import('./start.js');
