/** Compiles the label selector of a workload. */
import { compileLabelSelector, type LabelMatcher } from '../../shared/api/selectors/label-selector';
import { requirementsOfSelector } from '../../shared/api/selectors/object-selector';
import type { MetaV1LabelSelector } from '../../shared/api/types/generated/members';

interface HasSelector {
  readonly spec?: { readonly selector?: MetaV1LabelSelector | null };
}

/** `undefined` for an absent or empty selector, which would match every pod: controllers ignore such an owner. */
export function labelMatcherOf({ body }: { readonly body: HasSelector }): LabelMatcher | undefined {
  const requirements = requirementsOfSelector(body.spec?.selector ?? {});
  return requirements.length === 0 ? undefined : compileLabelSelector(requirements);
}
