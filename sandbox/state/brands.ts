import { namedUuid } from '../identifiers.ts';

const MAKERS = [
  'Arunika',
  'Bintang',
  'Cendana',
  'Dahlia',
  'Embun',
  'Fajar',
  'Garuda',
  'Harmoni',
  'Intan',
  'Jati',
];
const LINES = ['Active', 'Home', 'Kids', 'Living', 'Sport', 'Tech'];

/** All brands, in alphabetical order. */
export const BRANDS: readonly { id: string; name: string }[] = MAKERS.flatMap((maker) =>
  LINES.map((line) => ({ id: namedUuid(`brand/${maker} ${line}`), name: `${maker} ${line}` })),
);
