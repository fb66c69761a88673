import { keepsProperties } from './keeps-properties.ts';

keepsProperties(1, 50);
