/** What is asked of a server with admission policies: which there are, what is there before, and which requests are made. Names are upstream's. */
import type { Body } from '../reference';
import type { Step } from '../webhooks/case';

export interface PolicyCase {
  readonly title: string;
  readonly policies: readonly Policy[];
  /** One that denies when nothing is said. */
  readonly bindings?: readonly Binding[];
  /** Made before there are policies; unrecorded. */
  readonly before?: readonly Step[];
  readonly steps: readonly Step[];
  readonly after?: readonly Step[];
}

export interface Policy {
  /** `recorded` when nothing is said. */
  readonly name?: string;
  /** ConfigMaps are matched when nothing is said. */
  readonly spec: Body;
}

export interface Binding {
  readonly name?: string;
  readonly spec?: Body;
}

const NAME = 'recorded';
const MATCH: Body = {
  resourceRules: [{ operations: ['CREATE', 'UPDATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
};

export const policyOf = ({ name = NAME, spec }: Policy): Body => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicy',
  metadata: { name },
  spec: { matchConstraints: MATCH, ...spec },
});

export const bindingOf = ({ name = NAME, spec = {} }: Binding): Body => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicyBinding',
  metadata: { name },
  spec: { policyName: NAME, validationActions: ['Deny'], ...spec },
});
