import fc from 'fast-check';

// What fails once is to fail at each run: a property that fails now and then tells nobody which change broke it.
fc.configureGlobal({ seed: 20_261_122 });
