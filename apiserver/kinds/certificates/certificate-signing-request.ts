/** CertificateSigningRequest: it says who asked for it, and nothing of it changes after that but its status (behaviour-reference §5.19). */
import { objectAt, own, type JsonObject } from '../../../shared/values/json';
import { certificateChangeErrors, certificateErrors, conditionChangeErrors, conditionErrors, stampConditions } from './certificate-status';
import type { Strategy, StrategyContext } from '../../registry/strategy';

export const certificateSigningRequest: Strategy = {
  // Nobody owns what it asks for; its endpoints share the status out.
  resetFields: new Map([
    ['', { 'f:spec': {}, 'f:status': {} }],
    ['approval', { 'f:spec': {}, 'f:status': { 'f:certificate': {} } }],
    ['status', { 'f:spec': {}, 'f:status': { 'f:conditions': {} } }],
  ]),
  prepareForCreate: nameRequester,
  update: {
    prepareForUpdate(object, old) {
      const spec = own(old, 'spec');
      if (spec !== undefined) object['spec'] = spec;
    },
  },
  approval: {
    prepareForUpdate: (object, old, { now }) => stampConditions(object, old, now),
    validate: (object, old) => [...conditionErrors(object), ...conditionChangeErrors(object, old, true)],
  },
  status: {
    prepareForUpdate: (object, old, { now }) => stampConditions(object, old, now),
    validate: (object, old) => [
      ...conditionErrors(object),
      ...certificateErrors(object),
      ...conditionChangeErrors(object, old, false),
      ...certificateChangeErrors(object, old),
    ],
  },
};

/** What a client says of the requester does not count. */
function nameRequester(object: JsonObject, { user }: StrategyContext): void {
  const spec = objectAt(object, 'spec');
  if (spec === undefined) return;
  for (const member of ['username', 'uid', 'groups', 'extra']) delete spec[member];
  spec['username'] = user.name;
  if (user.uid !== undefined && user.uid !== '') spec['uid'] = user.uid;
  if (user.groups.length > 0) spec['groups'] = [...user.groups];
}
