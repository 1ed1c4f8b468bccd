/** Disks of Azure: where one is, and how it is cached. */
import { unsupportedValue } from '../../../../shared/api/errors/field-error';
import { checkChoice, checkRequired, type Errors } from '../../rules/checks';
import type { CoreV1AzureDiskVolumeSource } from '../../../../shared/api/types/generated/members';

const CACHING = ['None', 'ReadOnly', 'ReadWrite'];
const KINDS = ['Dedicated', 'Managed', 'Shared'];
const MANAGED = '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}';
const BLOB = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd';

export function checkDiskUri(source: CoreV1AzureDiskVolumeSource, place: string, errors: Errors): void {
  checkRequired(source, 'diskName', place, errors);
  checkRequired(source, 'diskURI', place, errors);
  checkChoice(source, 'cachingMode', place, CACHING, errors);
  checkChoice(source, 'kind', place, KINDS, errors);
  const uri = source.diskURI ?? '';
  const isManaged = source.kind === 'Managed';
  const good = isManaged ? uri.startsWith('/subscriptions/') : uri.startsWith('https://');
  if (!good) errors.push(unsupportedValue(`${place}.diskURI`, uri, [isManaged ? MANAGED : BLOB]));
}
