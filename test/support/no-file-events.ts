/** For tests in which the clock alone decides when files are compared. */
import type { FileEvents } from '../../shared/runtime/files/file-events';

export const noFileEvents: FileEvents = () => () => undefined;
