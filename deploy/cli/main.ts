#!/usr/bin/env node
/** The program `platform`: runs the bundle if the build made one (shared/runtime/process/program-bundle.ts), else the modules. */
import { runBundle } from '../../shared/runtime/process/program-bundle';

if (!runBundle(__filename)) void import('./start.js');
