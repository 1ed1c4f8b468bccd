/**
 * Validates Azure disk volumes, of Pods and PersistentVolumes: the form of the URI depends on the kind of the disk.
 * That the disk exists is not checked.
 */
import { unsupportedValue } from '../../../../../shared/api/errors/field-error';
import { checkEnum, checkRequired, type Errors } from '../../../rules/checks';
import type { CoreV1AzureDiskVolumeSource } from '../../../../../shared/api/types/generated/members';

const CACHING_MODES = ['None', 'ReadOnly', 'ReadWrite'];
const KINDS = ['Dedicated', 'Managed', 'Shared'];
const MANAGED_URI_FORM = '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}';
const BLOB_URI_FORM = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd';

export function checkAzureDisk(source: CoreV1AzureDiskVolumeSource, fieldPath: string, errors: Errors): void {
  checkRequired(source, 'diskName', fieldPath, errors);
  checkRequired(source, 'diskURI', fieldPath, errors);
  checkEnum(source, 'cachingMode', fieldPath, CACHING_MODES, errors);
  checkEnum(source, 'kind', fieldPath, KINDS, errors);
  const uri = source.diskURI ?? '';
  const isManaged = source.kind === 'Managed';
  const isValid = isManaged ? uri.startsWith('/subscriptions/') : uri.startsWith('https://');
  if (!isValid) errors.push(unsupportedValue(`${fieldPath}.diskURI`, uri, [isManaged ? MANAGED_URI_FORM : BLOB_URI_FORM]));
}
