/** A pod or pod template in the form that the controls read. */
import type {
  CoreV1Container,
  CoreV1Pod,
  CoreV1PodSpec,
  CoreV1PodTemplateSpec,
  CoreV1SecurityContext,
} from '../../../../shared/api/types/generated/members';

export interface SecuredPod {
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: CoreV1PodSpec;
  /** Init containers, containers and ephemeral containers. */
  readonly containers: readonly SecuredContainer[];
}

export type SecuredContainer = Pick<CoreV1Container, 'name' | 'ports'> & { readonly security: CoreV1SecurityContext };

export function securedPod({ metadata, spec = {} }: CoreV1Pod | CoreV1PodTemplateSpec): SecuredPod {
  const containers = [...(spec.initContainers ?? []), ...(spec.containers ?? []), ...(spec.ephemeralContainers ?? [])];
  return {
    annotations: metadata?.annotations ?? {},
    spec,
    containers: containers.map(({ name = '', ports = [], securityContext = {} }) => ({ name, ports, security: securityContext })),
  };
}
