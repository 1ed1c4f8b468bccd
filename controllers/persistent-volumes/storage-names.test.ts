import { isDefaultClass } from './storage-names';

const classWith = (annotations: Readonly<Record<string, string>>) => ({ metadata: { annotations } });

describe('isDefaultClass', () => {
  it.each([
    ['in the canonical spelling', { 'storageclass.platform.io/is-default-class': 'true' }],
    ["in upstream's spelling", { 'storageclass.kubernetes.io/is-default-class': 'true' }],
    [
      'in one spelling and denied in the other',
      { 'storageclass.platform.io/is-default-class': 'false', 'storageclass.kubernetes.io/is-default-class': 'true' },
    ],
    ['by the beta annotation', { 'storageclass.beta.kubernetes.io/is-default-class': 'true' }],
  ])('returns true for a class that is marked %s', (_case, annotations) => {
    expect(isDefaultClass(classWith(annotations))).toBe(true);
  });

  it('returns false for a class whose annotation has another value', () => {
    expect(isDefaultClass(classWith({ 'storageclass.platform.io/is-default-class': 'yes' }))).toBe(false);
  });
});
