/**
 * Build step: `node dist/apiserver/openapi/generate/main.js` writes the prebuilt parts of built-in kinds beside the
 * code that reads them.
 */
import { SERVED_KINDS } from '../../../shared/api/kinds';
import { readDescriptions } from '../documents/descriptions';
import { PrebuiltParts } from '../parts/prebuilt-parts';
import { buildPrebuiltParts } from './prebuild';

const prebuilt = new PrebuiltParts();
prebuilt.clear();
buildPrebuiltParts(SERVED_KINDS, readDescriptions(), prebuilt);
