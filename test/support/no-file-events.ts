/** A source of file events that never fires, for tests in which only the clock triggers the comparison of files. */
import type { FileEvents } from '../../shared/runtime/files/file-events';

export const noFileEvents: FileEvents = () => () => undefined;
