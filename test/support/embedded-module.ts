/** The compiled module of embedded control planes, as users of the package load it. For tests. */
import path from 'node:path';
import { repository } from './repository';

export const EMBEDDED_MODULE = path.join(repository, 'dist/deploy/embedded/index.js');

export const { startControlPlane } = jest.requireActual<typeof import('../../deploy/embedded')>(EMBEDDED_MODULE);
