/** Members of a workload's spec that several kinds share, with the API's defaults where they are absent. */
import type { CoreV1PodTemplateSpec } from '../../shared/api/types/generated/members';

interface HasReplicas {
  readonly spec?: { readonly replicas?: number };
}
interface HasMinReadySeconds {
  readonly spec?: { readonly minReadySeconds?: number };
}
interface HasTemplate {
  readonly spec?: { readonly template?: CoreV1PodTemplateSpec };
}

export const replicasOf = ({ body }: { readonly body: HasReplicas }): number => body.spec?.replicas ?? 1;

export const minReadySecondsOf = ({ body }: { readonly body: HasMinReadySeconds }): number => body.spec?.minReadySeconds ?? 0;

/** `{}` when it is absent, which the API allows for no kind: there is no default. */
export const templateOf = ({ body }: { readonly body: HasTemplate }): CoreV1PodTemplateSpec => body.spec?.template ?? {};
