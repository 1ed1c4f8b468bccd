/** The label selector of a workload, compiled. */
import { compileLabelSelector, type LabelMatcher } from '../../shared/api/selectors/label-selector';
import { requirementsOf } from '../../shared/api/selectors/object-selector';
import type { MetaV1LabelSelector } from '../../shared/api/types/generated/members';

interface HasSelector {
  readonly spec?: { readonly selector?: MetaV1LabelSelector | null };
}

/** Undefined for an empty selector, which would match every pod: controllers ignore such an owner. */
export function labelSelectorOf({ body }: { readonly body: HasSelector }): LabelMatcher | undefined {
  const requirements = requirementsOf(body.spec?.selector ?? {});
  return requirements.length === 0 ? undefined : compileLabelSelector(requirements);
}
