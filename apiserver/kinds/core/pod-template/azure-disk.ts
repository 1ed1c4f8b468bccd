/** Disks of Azure: where one is, and how it is cached. */
import { notSupported } from '../../../../shared/api/errors/field-error';
import { type JsonObject } from '../../../../shared/values/json';
import { checkChoice, checkRequired, textAt, type Errors } from '../../rules/checks';

const CACHING = ['None', 'ReadOnly', 'ReadWrite'];
const KINDS = ['Dedicated', 'Managed', 'Shared'];
const MANAGED = '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}';
const BLOB = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd';

export function checkDiskUri(source: JsonObject, place: string, errors: Errors): void {
  checkRequired(source, 'diskName', place, errors);
  checkRequired(source, 'diskURI', place, errors);
  checkChoice(source, 'cachingMode', place, CACHING, errors);
  checkChoice(source, 'kind', place, KINDS, errors);
  const uri = textAt(source, 'diskURI');
  const isManaged = textAt(source, 'kind') === 'Managed';
  const good = isManaged ? uri.startsWith('/subscriptions/') : uri.startsWith('https://');
  if (!good) errors.push(notSupported(`${place}.diskURI`, uri, [isManaged ? MANAGED : BLOB]));
}
