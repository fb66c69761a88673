import { keepsProperties } from '../keeps-properties.ts';

keepsProperties(201, 300);
