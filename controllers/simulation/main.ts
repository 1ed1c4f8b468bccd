/**
 * The executable of the simulation of nodes: runs the bundled program if the build created one
 * (shared/runtime/process/program-bundle.ts), else the modules.
 */
import { runBundle } from '../../shared/runtime/process/program-bundle';

if (!runBundle(__filename)) void import('./start.js');
