import { SERVED_KINDS } from '../../kinds';
import { typeNames } from '../tables';
import { schemaOf } from '../index';
import own from './own-texts.json';
import { readAllDescriptions } from './all-descriptions';

const allDescriptions = readAllDescriptions() ?? {};

test('every served kind and each of its fields has a description', () => {
  const undescribed = SERVED_KINDS.flatMap(({ type }) => {
    const descriptions = allDescriptions[type] ?? {};
    return ['', 'apiVersion', 'kind', ...schemaOf(type).fields.map(({ name }) => name)].flatMap((member) =>
      descriptions[member] === undefined ? [`${type} ${member}`] : [],
    );
  });
  expect(undescribed).toEqual([]);
});

test('the descriptions of our own refer to existing fields only', () => {
  const types = new Set(typeNames());
  // The members of `*` are described for every kind that has them.
  const described = Object.entries(own).filter(([type]) => type !== '*');
  const unknown = described.flatMap(([type, members]) => {
    // Types without fields, such as Quantity, are not in the tables and only have a description of their own.
    const names = new Set(['', ...(types.has(type) ? schemaOf(type).fields.map(({ name }) => name) : [])]);
    return Object.keys(members).flatMap((member) => (names.has(member) ? [] : [`${type} ${member}`]));
  });
  expect(unknown).toEqual([]);
  expect(described.length).toBeGreaterThan(20);
});
