/** How the steps that read a body tell what is wrong with it. */
import { badRequest, type StatusError } from '../../../shared/api/errors/status';
import { quote } from '../../../shared/values/quote';
import type { KindInfo } from '../object/resource-info';

/** What is wrong with a body, before it is put into an answer: a body and a patched object say it in different answers. */
export class BodyFault extends Error {
  override readonly name = 'BodyFault';
}

/** A body has unknown or duplicate fields, and the client requested strict field validation. */
export class StrictFault extends BodyFault {
  constructor(readonly faults: readonly string[]) {
    super(`strict decoding error: ${faults.join(', ')}`);
  }
}

/** The refusal of a body that cannot be decoded as an object of its kind. `kind`: the kind that the body states. */
export function unreadable({ kind: wanted, row }: Pick<KindInfo, 'kind' | 'row'>, fault: BodyFault, kind = wanted): StatusError {
  return badRequest(`${kind} in version ${quote(row.version)} cannot be handled as a ${wanted}: ${fault.message}`);
}
