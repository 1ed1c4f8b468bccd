/** What plug-ins are asked: a ConfigMap that somebody creates, unless something else is said. */
import type { AdmissionRequest } from '../../apiserver/registry/admission';
import { STORED_KINDS } from '../../shared/api/kinds';

export type AdmissionRequestParts = Partial<AdmissionRequest> & {
  /** Of the object, in the place of a resource. */
  readonly kind?: string;
};

export function admissionRequest({ kind = 'ConfigMap', ...parts }: AdmissionRequestParts = {}): AdmissionRequest {
  const row = STORED_KINDS.find((candidate) => candidate.kind === kind);
  if (row === undefined) throw new Error(`no ${kind}`);
  return {
    operation: 'CREATE',
    resource: { row, stored: undefined },
    subresource: undefined,
    hasNameInPath: false,
    object: {},
    oldObject: undefined,
    name: 'a',
    namespace: 'ns',
    namespaceEntry: undefined,
    user: { name: 'u', groups: [] },
    dryRun: false,
    options: {},
    deadline: Number.POSITIVE_INFINITY,
    context: { warn: () => undefined },
    ...parts,
  };
}
