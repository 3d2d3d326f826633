// SPDX-License-Identifier: Apache-2.0

// The film of a design style without cross-fades: a photo that zooms slowly in or out, and a layer of text, on every slide.
import React from 'react';
import {AbsoluteFill, Composition, Img, Sequence, registerRoot, staticFile, useCurrentFrame} from 'remotion';

const Slide = ({n, slideFrames, zoom, style}) => {
  const eased = (1 - Math.cos((Math.PI * useCurrentFrame()) / (slideFrames - 1))) / 2;
  const scale = n % 2 ? zoom * (1 / zoom) ** eased : zoom ** eased;
  return (
    <AbsoluteFill>
      <Img src={staticFile(`photo-${n}.jpg`)} style={{position: 'absolute', width: '100%', height: '100%', objectFit: 'cover', transform: `scale(${scale})`}} />
      <Img src={staticFile(`${style}-${n}.png`)} style={{position: 'absolute', width: '100%', height: '100%'}} />
    </AbsoluteFill>
  );
};

const Film = ({slides, slideFrames, zoom, style}) => (
  <AbsoluteFill>
    {Array.from({length: slides}, (_, n) => (
      <Sequence key={n} from={n * slideFrames} durationInFrames={slideFrames}>
        <Slide n={n} slideFrames={slideFrames} zoom={zoom} style={style} />
      </Sequence>
    ))}
  </AbsoluteFill>
);

const length = ({props}) => ({durationInFrames: props.slides * props.slideFrames, fps: props.fps, width: props.width, height: props.height});

registerRoot(() => (
  <Composition id="film" component={Film} calculateMetadata={length} durationInFrames={1} fps={30} width={16} height={16}
    defaultProps={{slides: 1, slideFrames: 1, zoom: 1, style: '', fps: 30, width: 16, height: 16}} />
));
