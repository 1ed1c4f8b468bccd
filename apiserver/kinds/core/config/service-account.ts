/** ServiceAccount (behaviour-reference §5.12): its secrets are named, nothing more. */
import { arrayAt, isObject, own, type JsonObject } from '../../../../shared/values/json';
import { UPDATE } from '../../../registry/stages';
import type { Strategy } from '../../../registry/strategy';

export const serviceAccount: Strategy = {
  prepareForCreate: keepNames,
  update: { prepareForUpdate: keepNames, stages: UPDATE.changeThenObject },
};

function keepNames(object: JsonObject): void {
  const secrets = arrayAt(object, 'secrets');
  if (secrets === undefined) return;
  object['secrets'] = secrets.map((secret) => {
    const name = isObject(secret) ? own(secret, 'name') : undefined;
    return name === undefined ? {} : { name };
  });
}
