import { isDefaultClass } from './storage-names';

const classWith = (annotations: Readonly<Record<string, string>>) => ({ metadata: { annotations } });

describe('isDefaultClass', () => {
  it.each([
    ['in the canonical spelling', { 'storageclass.platform.io/is-default-class': 'true' }, true],
    ["in upstream's spelling", { 'storageclass.kubernetes.io/is-default-class': 'true' }, true],
    [
      'in one spelling and denied in the other',
      { 'storageclass.platform.io/is-default-class': 'false', 'storageclass.kubernetes.io/is-default-class': 'true' },
      true,
    ],
    ['by the beta annotation', { 'storageclass.beta.kubernetes.io/is-default-class': 'true' }, true],
    ['with another value', { 'storageclass.platform.io/is-default-class': 'yes' }, false],
  ])('decides about a class that is marked %s as the admission plug-in does', (_case, annotations, expected) => {
    expect(isDefaultClass(classWith(annotations))).toBe(expected);
  });
});
