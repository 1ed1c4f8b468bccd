/**
 * Builds the requests that admission plug-ins receive: the creation of a ConfigMap, with the parts that a test changes.
 */
import type { AdmissionRequest } from '../../../apiserver/registry/admission';
import { STORED_KINDS } from '../../../shared/api/kinds';

export type AdmissionRequestParts = Partial<AdmissionRequest> & {
  /** Selects the resource by its kind; `ConfigMap` by default. */
  readonly kind?: string;
};

/** Throws for a kind that is not stored. */
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
