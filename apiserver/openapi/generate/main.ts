/** Part of the build: `node dist/apiserver/openapi/generate/main.js` puts the parts of built-in kinds beside the code that reads them. */
import { SERVED_KINDS } from '../../../shared/api/kinds';
import { readDescriptions } from '../descriptions';
import { ReadyParts } from '../prebuilt-parts';
import { makeReady } from './prebuild';

const ready = new ReadyParts();
ready.clear();
makeReady(SERVED_KINDS, readDescriptions(), ready);
