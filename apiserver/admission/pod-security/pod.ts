/** A pod, or what pods will be made of, as the controls see it. */
import type {
  CoreV1Container,
  CoreV1Pod,
  CoreV1PodSpec,
  CoreV1PodTemplateSpec,
  CoreV1SecurityContext,
} from '../../../shared/api/types/generated/members';
import type { JsonObject } from '../../../shared/values/json';

export interface SecuredPod {
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: CoreV1PodSpec;
  /** Of all sorts: those that prepare, those that stay, those that are added later. */
  readonly containers: readonly SecuredContainer[];
}

export type SecuredContainer = Pick<CoreV1Container, 'name' | 'ports'> & { readonly security: CoreV1SecurityContext };

/** What has been judged by the rules of its kind has its form. */
interface Reader {
  pod(object: JsonObject): SecuredPod;
}

const READER: Reader = {
  pod({ metadata, spec = {} }: CoreV1Pod | CoreV1PodTemplateSpec) {
    const containers = [...(spec.initContainers ?? []), ...(spec.containers ?? []), ...(spec.ephemeralContainers ?? [])];
    return {
      annotations: metadata?.annotations ?? {},
      spec,
      containers: containers.map(({ name = '', ports = [], securityContext = {} }) => ({ name, ports, security: securityContext })),
    };
  },
};

/** Of a pod or a template. */
export const securedPod = (object: JsonObject): SecuredPod => READER.pod(object);
