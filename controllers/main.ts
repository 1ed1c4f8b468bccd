/**
 * The executable of the controllers: runs the bundled program if the build created one
 * (shared/runtime/process/whole-program.ts), else the modules.
 */
import { runWhole } from '../shared/runtime/process/whole-program';

if (!runWhole(__filename)) void import('./start.js');
