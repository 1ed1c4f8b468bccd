/** The Forbidden error with which admission plug-ins reject a request. Its message is left to the plug-ins. */
import { readMetadata } from '../../shared/api/metadata/object-meta';
import { forbidden, type StatusError } from '../../shared/api/errors/status';
import type { AdmissionRequest } from '../registry/admission';

/** The error with this text. It names the object by its name, else by its `generateName`, else as `Unknown`. */
export function newForbidden({ resource: { row }, name, object }: AdmissionRequest, text: string): StatusError {
  const metadata = readMetadata(object ?? {});
  const displayName = [metadata.name, name, metadata.generateName].find((candidate) => candidate !== undefined && candidate !== '');
  return forbidden({ group: row.group, resource: row.resource }, displayName ?? 'Unknown', text);
}
