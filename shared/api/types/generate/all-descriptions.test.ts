import { SERVED_KINDS } from '../../kinds';
import { typeNames } from '../tables';
import { schemaOf } from '../index';
import own from './own-texts.json';
import { readAllDescriptions } from './all-descriptions';

const texts = readAllDescriptions() ?? {};

test('every served kind and each of its fields has a description', () => {
  const undescribed = SERVED_KINDS.flatMap(({ type }) => {
    const descriptions = texts[type] ?? {};
    return ['', 'apiVersion', 'kind', ...schemaOf(type).fields.map(({ name }) => name)].flatMap((member) =>
      descriptions[member] === undefined ? [`${type} ${member}`] : [],
    );
  });
  expect(undescribed).toEqual([]);
});

test('the descriptions of our own refer to existing types and fields only', () => {
  const known = new Set(typeNames());
  const described = Object.entries(own).filter(([type]) => known.has(type));
  const unknown = described.flatMap(([type, members]) => {
    const names = new Set(['', ...schemaOf(type).fields.map(({ name }) => name)]);
    return Object.keys(members).flatMap((member) => (names.has(member) ? [] : [`${type} ${member}`]));
  });
  expect(unknown).toEqual([]);
  expect(described.length).toBeGreaterThan(20);
});
