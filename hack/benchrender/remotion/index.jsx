// SPDX-License-Identifier: Apache-2.0

// The still film: a photo with a layer of text on every slide, hard cuts.
import React from 'react';
import {AbsoluteFill, Composition, Img, Sequence, registerRoot, staticFile} from 'remotion';

const Film = ({slides, slideFrames}) => (
  <AbsoluteFill>
    {Array.from({length: slides}, (_, n) => (
      <Sequence key={n} from={n * slideFrames} durationInFrames={slideFrames}>
        <AbsoluteFill>
          <Img src={staticFile(`photo-${n}.jpg`)} style={{position: 'absolute', width: '100%', height: '100%', objectFit: 'cover'}} />
          <Img src={staticFile(`text-${n}.png`)} style={{position: 'absolute', width: '100%', height: '100%'}} />
        </AbsoluteFill>
      </Sequence>
    ))}
  </AbsoluteFill>
);

const length = ({props}) => ({durationInFrames: props.slides * props.slideFrames, fps: props.fps, width: props.width, height: props.height});

registerRoot(() => (
  <Composition id="film" component={Film} calculateMetadata={length} durationInFrames={1} fps={30} width={16} height={16}
    defaultProps={{slides: 1, slideFrames: 1, fps: 30, width: 16, height: 16}} />
));
