/** A pod or pod template in the form that the controls of PodSecurity read. Evaluates nothing. */
import type {
  CoreV1Container,
  CoreV1Pod,
  CoreV1PodSpec,
  CoreV1PodTemplateSpec,
  CoreV1SecurityContext,
} from '../../../../shared/api/types/generated/members';

/** The parts of a pod that concern its security. */
export interface SecuredPod {
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: CoreV1PodSpec;
  /** Init containers, containers and ephemeral containers. */
  readonly containers: readonly SecuredContainer[];
}

/** A container of any kind; `security` is empty when the container sets none. */
export type SecuredContainer = Pick<CoreV1Container, 'name' | 'ports'> & { readonly security: CoreV1SecurityContext };

/** Shares the members of the object; absent ones are empty. */
export function securedPod({ metadata, spec = {} }: CoreV1Pod | CoreV1PodTemplateSpec): SecuredPod {
  const containers = [...(spec.initContainers ?? []), ...(spec.containers ?? []), ...(spec.ephemeralContainers ?? [])];
  return {
    annotations: metadata?.annotations ?? {},
    spec,
    containers: containers.map(({ name = '', ports = [], securityContext = {} }) => ({ name, ports, security: securityContext })),
  };
}
