/**
 * The executable of the API server: runs the bundle that the build created (shared/runtime/process/program-bundle.ts), or
 * the modules when there is none.
 */
import { runBundle } from '../shared/runtime/process/program-bundle';

if (!runBundle(__filename)) void import('./start.js');
