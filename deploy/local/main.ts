/** `npm start`: in one file where the build has made one (shared/runtime/process/program-bundle.ts), else as modules. */
import { runWhole } from '../../shared/runtime/process/program-bundle';

if (!runWhole(__filename)) void import('./start.js');
